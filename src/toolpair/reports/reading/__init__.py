"""What a call, a result and a problem say in words, for the screens and for the pages alike.

Everything returned here is untrusted unless it says otherwise: it goes through `text` before it is shown.
"""
