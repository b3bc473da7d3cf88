"""Whether rewriting a network leaves its gradients as they were."""
