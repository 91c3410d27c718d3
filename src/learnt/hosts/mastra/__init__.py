"""Mastra: a thread's messages as its stores keep them, or model calls that repeat the conversation each time."""
