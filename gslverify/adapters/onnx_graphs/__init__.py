"""ONNX models made of sketches: which operators follow which, everything else chosen."""
