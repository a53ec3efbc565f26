import { type Fence, fenceAfter } from "../../server/lib/markdown-fence.ts";

/** A piece of Markdown that can be laid out by itself: blocks that belong together, or one item of a list. */
export interface Chunk {
  source: string;
  /** Whether no blank line stands before it. */
  isTight: boolean;
}

/** Cuts Markdown that streams in where blocks end; what is still open is held back. The pieces it comes in make no difference. */
export interface Chunker {
  push(text: string): Chunk[];
  end(): Chunk[];
}

const bulletItem = /^ ?[-*+]\s+\S/;
const numberedItem = /^ ?(?<number>\d{1,9})[.)]\s+\S/;

export function createChunker(): Chunker {
  let rest = "";
  let lines: string[] = [];
  let fence: Fence | undefined;
  let isItem = false;
  let isTight = false;
  let isAfterBlank = false;

  const finish = (): Chunk[] => {
    const source = lines.join("\n").trimEnd();
    lines = [];
    return source === "" ? [] : [{ source, isTight }];
  };
  const begin = (line: string, startsItem: boolean): Chunk[] => {
    const done = finish();
    isItem = startsItem;
    isTight = startsItem && !isAfterBlank;
    lines = [line];
    return done;
  };
  /** What follows is another block, as after a blank line; only quotes go on. */
  const endCode = (line: string): Chunk[] => {
    isAfterBlank = !/^\s*>/.test(line);
    return isAfterBlank && !isItem ? finish() : [];
  };
  const passLine = (line: string): Chunk[] => {
    const wasInFence = fence !== undefined;
    const startsItem = !wasInFence && beginsItem(line, isItem || lines.length === 0 || isAfterBlank);
    fence = fenceAfter(line, fence);
    if (wasInFence) {
      lines.push(line);
      return fence === undefined ? endCode(line) : [];
    }
    if (line.trim() === "") {
      isAfterBlank = true;
      if (!isItem) return finish();
      lines.push(line);
      return [];
    }
    const goesOn = lines.length > 0 && !startsItem && (!isAfterBlank || (isItem && /^\s/.test(line)));
    const done = goesOn ? [] : begin(line, startsItem);
    if (goesOn) lines.push(line);
    isAfterBlank = false;
    return done;
  };
  return {
    push(text) {
      const complete = (rest + text).split("\n");
      rest = complete.pop() ?? "";
      return complete.flatMap(passLine);
    },
    end() {
      const last = rest === "" ? [] : passLine(rest);
      rest = "";
      fence = undefined;
      return [...last, ...finish()];
    },
  };
}

/** Within a paragraph a number begins a list only where it is 1, as in CommonMark (5.3). */
function beginsItem(line: string, mayBeAnyNumber: boolean): boolean {
  const number = numberedItem.exec(line)?.groups?.["number"];
  return bulletItem.test(line) || (number !== undefined && (mayBeAnyNumber || number === "1"));
}
