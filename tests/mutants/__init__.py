"""Known bugs: protocols that are wrong in one place, to show that our harnesses notice."""
