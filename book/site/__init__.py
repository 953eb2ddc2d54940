"""The course as a site: pages gathered and adapted (`staging`, `pages`), made of code and tables (`sources`, `api`,
`equations`, `exercises`, `bibliography`), and built by Sphinx (`conf`). README.md in this folder says why so."""
