"""Pure formats: bytes to trees and records to bytes; no tracker, no SQL, no HTTP."""
