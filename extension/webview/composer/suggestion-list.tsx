import { useLayoutEffect, useRef } from "preact/hooks";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { say } from "../strings.ts";
import type { Suggestion } from "./completion.ts";

export const suggestionListId = "suggestions";

export function suggestionId(index: number): string {
  return `suggestion-${index}`;
}

/** The list above the box; the focus stays in the box, which names the active one. */
export function SuggestionList(props: {
  suggestions: readonly Suggestion[];
  active: number;
  onChoose: (suggestion: Suggestion) => void;
}) {
  const { suggestions, active, onChoose } = props;
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => list.current?.children[active]?.scrollIntoView({ block: "nearest" }), [active]);
  return (
    <ul
      ref={list}
      id={suggestionListId}
      class="suggestions"
      role="listbox"
      aria-label={say("suggestions")}
      // The box keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {suggestions.map((suggestion, index) => (
        <li
          key={`${suggestion.label} ${suggestion.detail}`}
          id={suggestionId(index)}
          role="option"
          aria-selected={index === active}
          onClick={() => onChoose(suggestion)}
        >
          <bdi class="suggestion-label">{showInvisible(suggestion.label)}</bdi>
          <span class="muted" dir="auto">
            {showInvisible(suggestion.detail)}
          </span>
        </li>
      ))}
    </ul>
  );
}
