"""What an editor asks of a text: `document.Document` answers, `server` speaks the Language Server Protocol."""
