"""Formats: pure functions from bytes to trees and from records to bytes."""
