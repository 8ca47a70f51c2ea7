"""The pages of webhooks, by noun: endpoints and deliveries for admins, mail for everybody."""
