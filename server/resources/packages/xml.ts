import { readTextFile } from "./files.ts";

/** An element of an XML file: its local name, its attributes, its own text, and what is in it. */
export interface Element {
  name: string;
  attributes: Readonly<Record<string, string>>;
  text: string;
  children: Element[];
}

/** Deeper than any real file: a limit for hostile ones. */
const depthLimit = 100;

/**
 * The root of an XML text; undefined if it is not well-formed. Only the predefined entities are known: a document type is
 * skipped, so nothing outside of the text is read and nothing expands.
 */
export async function parseXml(text: string): Promise<Element | undefined> {
  // A bundle of a CommonJS module has only a default export.
  const { default: saxes } = await import("saxes");
  const top: Element = { name: "", attributes: {}, text: "", children: [] };
  const open = [top];
  const parser = new saxes.SaxesParser();
  parser.on("error", (error) => {
    // Old POMs have entities of HTML: they are left as they are written.
    if (!error.message.includes("undefined entity")) throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length > depthLimit) throw new Error("too deep");
    const element = { name: name.slice(name.indexOf(":") + 1), attributes, text: "", children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (part: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += part;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => void open.pop());
  try {
    parser.write(text.replace(/^\uFEFF/, "")).close();
    return top.children[0];
  } catch {
    return undefined;
  }
}

/** The root of an XML file; undefined if it cannot be read or parsed. */
export async function readXmlFile(file: string): Promise<Element | undefined> {
  const text = await readTextFile(file);
  return text === undefined ? undefined : parseXml(text);
}

/** The trimmed text of the element at a path below another one; undefined if there is none or it is empty. */
export function textOf(element: Element | undefined, ...path: readonly string[]): string | undefined {
  return elementAt(element, ...path)?.text.trim() || undefined;
}

export function elementAt(element: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce((found, name) => found?.children.find((child) => child.name === name), element);
}

/** The elements in a list: those in `<dependencies>`. */
export function elementsIn(element: Element | undefined, ...path: readonly string[]): readonly Element[] {
  return elementAt(element, ...path)?.children ?? [];
}

/** All elements of a name, at any depth. */
export function elementsNamed(element: Element | undefined, name: string): Element[] {
  return (element?.children ?? []).flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...elementsNamed(child, name),
  ]);
}
