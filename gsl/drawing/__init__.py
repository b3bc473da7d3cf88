"""Rules and graphs as pictures: vertices, layers, SVG, Mermaid and dot."""
