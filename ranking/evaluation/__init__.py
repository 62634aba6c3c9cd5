"""What ir-measures lacks (G19): z-nDCG, intervals and tests of means, agreement, dimensions."""
