"""Mail that comes in: parsed here, and carried out by the rules in ``tracker/mail/``."""
