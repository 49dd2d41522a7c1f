// Server-sent events of a POST, which EventSource cannot make.

/** Yields {name, data} for each event; this server writes its JSON on one line. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const event = /^event: (.*)\ndata: (.*)$/m.exec(part);
      if (event) yield { name: event[1], data: JSON.parse(event[2]) };
    }
  }
}
