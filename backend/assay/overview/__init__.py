"""What a person sees first: what runs, what waits, what needs them, what came out lately."""
