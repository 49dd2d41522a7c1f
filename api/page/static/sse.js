// Server-sent events of a POST, which EventSource cannot make.

const END = /\r?\n\r?\n/;

/** Yields {name, data} for each event of a response's body; data is parsed JSON. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split(END);
    text = parts.pop();
    for (const part of parts) {
      const event = parsed(part);
      if (event) yield event;
    }
  }
}

function parsed(part) {
  let name = "message";
  const data = [];
  for (const line of part.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
