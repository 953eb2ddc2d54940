"""The explorer: a page on this machine for playing with everything that has been trained (`make explore`)."""
