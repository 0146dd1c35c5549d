"""What is on each page: functions that gather it from the use cases, one module for each noun."""
