"""From outcomes to something people read: `build` makes plain data, text, markdown and html show it."""
