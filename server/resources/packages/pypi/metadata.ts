/** The first value of a field of a distribution's metadata (https://packaging.python.org/en/latest/specifications/core-metadata/). */
export function fieldOf(metadata: string, field: string): string | undefined {
  return fieldsOf(metadata, field)[0];
}

/** All values of a field, such as `Requires-Dist`, in order. */
export function fieldsOf(metadata: string, field: string): string[] {
  const start = `${field.toLowerCase()}:`;
  return headersOf(metadata)
    .filter((line) => line.toLowerCase().startsWith(start))
    .map((line) => line.slice(start.length).trim());
}

/** The text after the headers, or the field in which older versions have it. */
export function descriptionOf(metadata: string): string {
  const end = /\r?\n\r?\n/.exec(metadata);
  const body = end === null ? "" : metadata.slice(end.index + end[0].length);
  return body.trim() === "" ? (fieldOf(metadata, "Description") ?? "") : body;
}

/** One line for each header: a continuation starts with a space. */
function headersOf(metadata: string): string[] {
  const [headers = ""] = metadata.split(/\r?\n\r?\n/, 1);
  return headers.replace(/\r?\n(?:[ \t]|\|)/g, "\n ").split(/\r?\n(?! )/);
}
