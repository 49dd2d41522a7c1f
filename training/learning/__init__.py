"""How our models are trained: material, batches, models, one loop for all, checkpoints.

The programs are `python -m training.train_encoder` and `python -m training.train_reranker`.
Nothing of this is imported while questions are answered.
"""
