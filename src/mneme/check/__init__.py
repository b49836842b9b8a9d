"""What can be wrong with memory: the table of rules, and the checks that find each fault and mend what is mechanical."""
