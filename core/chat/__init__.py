"""Asking a chat model that speaks OpenAI's form: the endpoint, its breaker, what it answered.

Whoever asks keeps to a budget of seconds and goes on without an answer: every failure is NoAnswer.
"""
