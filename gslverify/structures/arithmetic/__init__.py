"""What follows from claims by arithmetic alone: normal forms of polynomials and quotients."""
