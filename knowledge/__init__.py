"""What the stages know: pure functions, frames in and frames out."""
