"""What a rule's source can be: symbolic instances, their variants, and concrete models of them."""
