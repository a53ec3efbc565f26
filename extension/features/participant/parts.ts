import { type Note, notesBefore } from "../../../client/answer/notes.ts";
import { stepOf } from "../../../client/answer/steps.ts";
import type { Language } from "../../../server/protocol/answer-words.ts";
import type { AskEvent } from "../../../server/protocol/ask.ts";
import {
  type Citation,
  citationLabel,
  citationNote,
  cutAtCitations,
  isLinked,
  type TextPart,
} from "../../../server/protocol/citation.ts";
import { tallyCitations } from "../../../server/protocol/tally.ts";

/** A part of an answer in the editor's chat. */
export type ChatPart =
  | { type: "progress" | "markdown"; text: string }
  /** A link to lines of a file. */
  | { type: "place"; citation: Citation; label: string };

/** The events of one answer as parts of the editor's chat. */
export function createParts(language: Language): (event: AskEvent) => ChatPart[] {
  let offset = 0;
  return (event) => {
    switch (event.type) {
      case "progress":
        return [{ type: "progress", text: `${event.resource}: ${event.message}` }];
      case "meta":
        return notesBefore(event, language).map((note) => markdown(noteMarkdown(note)));
      case "tool.updated":
        return event.state.status === "running" ? [{ type: "progress", text: stepOf(event, language).title }] : [];
      case "text.delta": {
        const { delta, citations = [] } = event;
        const parts = cutAtCitations(delta, citations, { offset }).flatMap(toParts);
        offset += delta.length;
        return parts;
      }
      case "done":
        return [markdown(`\n\n*${tallyCitations(event.citations, language)}*`)];
      case "reasoning.delta":
      case "error":
        return [];
    }
  };
}

/** A linked citation is a place in a file; one that is not linked stays text. */
function toParts({ text, citation }: TextPart): ChatPart[] {
  if (citation === undefined || !isLinked(citation)) return [markdown(text)];
  const note = citationNote(citation);
  return [{ type: "place", citation, label: citationLabel(citation) }, ...(note === "" ? [] : [markdown(note)])];
}

/** A note as a paragraph. */
export function noteMarkdown({ title, text }: Note): string {
  return `> **${asText(title)}** ${asText(text)}\n\n`;
}

/** Plain text in Markdown. */
export function asText(text: string): string {
  return text.replace(/[\\`*_[\]<>|~&]/g, "\\$&");
}

function markdown(text: string): ChatPart {
  return { type: "markdown", text };
}
