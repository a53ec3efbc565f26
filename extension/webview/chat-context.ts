import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { FromWebview } from "./messages.ts";

export interface CitationRef {
  turn: string;
  citation: string;
}

/** What every part of the chat can do. Stays the same object while the page lives. */
export interface ChatActions {
  send(message: FromWebview): void;
  /** Says a few words to screen readers, without moving the focus. */
  announce(text: string): void;
  /** Shows the cited lines beside the element, or no longer. */
  preview(target: (CitationRef & { anchor: HTMLElement; isAtOnce: boolean }) | undefined): void;
  isOpen(fold: string): boolean | undefined;
  setOpen(fold: string, isOpen: boolean): void;
}

export const ChatContext = createContext<ChatActions | undefined>(undefined);

export function useChat(): ChatActions {
  const actions = useContext(ChatContext);
  if (actions === undefined) throw new Error("a part of the chat stands outside of it");
  return actions;
}
