"""How what two networks compute is compared: exactly, within error bounds, modulo primes."""
