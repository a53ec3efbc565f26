import * as vscode from "vscode";
import { type Attachment, fitAttachment } from "../../../server/protocol/attachment.ts";
import { ServerError } from "../../server-error.ts";

/** What goes along with the next question, in the order in which it was added. */
export interface Attachments {
  readonly all: readonly Attachment[];
  /** What is there already is not added again. @throws ServerError (it does not fit) */
  add(attachment: Attachment): void;
  remove(place: Pick<Attachment, "label" | "path">): void;
  clear(): void;
}

export function createAttachments(onChange: () => void): Attachments {
  let all: readonly Attachment[] = [];

  function set(next: readonly Attachment[]): void {
    all = next;
    onChange();
  }

  function remove(place: Pick<Attachment, "label" | "path">): void {
    set(all.filter((one) => !isSame(one, place)));
  }

  return {
    get all() {
      return all;
    },
    add(attachment) {
      const others = all.filter((one) => !isSame(one, attachment));
      const fitting = fitAttachment(attachment, others);
      if (fitting === undefined) {
        throw new ServerError({
          tag: "InvalidRequest",
          error: vscode.l10n.t("{0} does not fit into the question", attachment.label),
          hint: vscode.l10n.t("remove another file from it first"),
        });
      }
      set([...others, fitting]);
    },
    remove,
    clear: () => set([]),
  };
}

function isSame(one: Pick<Attachment, "label" | "path">, other: Pick<Attachment, "label" | "path">): boolean {
  return one.path === other.path && one.label === other.label;
}
