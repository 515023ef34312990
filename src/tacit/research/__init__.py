"""The proof, apart from the product: datasets, experiments and the paper."""
