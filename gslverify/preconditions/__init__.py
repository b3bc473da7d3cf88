"""What a rule demands of a match: is it needed, is it too much, and what is missing?"""
