import * as vscode from "vscode";
import { Branch, SearchPath } from "../../../server/protocol/kinds/git-fields.ts";
import { packageTypes } from "../../../server/protocol/kinds/names.ts";
import { isPackage, PackageVersion } from "../../../server/protocol/kinds/package.ts";
import { ResourceName } from "../../../server/protocol/resource-fields.ts";
import type { ResourceSpec } from "../../../server/protocol/resource.ts";
import { sentence } from "../../sentence.ts";
import { askForKind } from "./add-wizard-kind.ts";
import { parseTyped } from "../../../server/protocol/typed-reference.ts";
import type { Draft } from "./draft.ts";
import { type KindName, kindOf, kinds, type OneOff } from "../../../server/protocol/kinds/kinds.ts";
import { freeName, specOf } from "./spec.ts";
import { type Answered, askSteps, askText, type Step } from "./steps.ts";
import { faultOf, joinPaths, nameFault, pathsFault, splitPaths } from "./validation.ts";

/** Asks for what is to be added, and what the thing needs. Undefined where the person left. */
export async function askForResource({
  taken,
  start = {},
}: {
  taken: readonly string[];
  start?: Draft;
}): Promise<ResourceSpec | undefined> {
  const draft = await askSteps<Draft>(start, {
    title: vscode.l10n.t("Add Resource"),
    stepsOf: (known) => [...(start.kind === undefined ? [askKind] : []), ...stepsOf(known, taken)],
  });
  if (draft?.reference === undefined || draft.name === undefined) return undefined;
  const { reference, branch, searchPaths, version, name } = draft;
  return specOf(reference, { name, branch, searchPaths, version });
}

/** The steps behind the first one, for a kind. */
function stepsOf({ kind, isNamed = false }: Draft, taken: readonly string[]): Step<Draft>[] {
  if (kind === undefined) return [];
  const { askReference = referenceStep(kind), more = [] } = ownSteps[kind] ?? {};
  return [...(isNamed ? [] : [askReference]), ...more, nameStep(taken)];
}

const askKind: Step<Draft> = async (draft, place) => {
  const stepCount = (kind: Draft["kind"]) => 1 + stepsOf({ kind }, []).length;
  return askForKind(draft, { ...place, stepCount });
};

/** Asks for a reference of a kind as text. */
function referenceStep(name: KindName): Step<Draft> {
  const kind = kinds[name];
  const read = (text: string) => {
    const typed = parseTyped(text);
    return typed.type === name ? typed : kind.readAs(text);
  };
  return async (draft, place) => {
    const answered = await askText({
      ...place,
      ...kind.prompt(vscode.l10n),
      value: draft.reference?.type === name ? draft.reference.canonical : undefined,
      validate: (text) => {
        const reference = read(text);
        if (reference.type === "invalid") return sentence(reference.reason);
        const reason = kindOf(reference).faultOf?.(reference)?.reason;
        return reason === undefined ? undefined : sentence(reason);
      },
    });
    return map(answered, (text) => named(draft, read(text)));
  };
}

const askFolder: Step<Draft> = async (draft, { title, step }) => {
  const [folder] =
    (await vscode.window.showOpenDialog({
      title,
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: vscode.l10n.t("Add Folder"),
    })) ?? [];
  if (folder === undefined) return { type: step === 1 ? "cancelled" : "back" };
  return { type: "next", draft: named(draft, { type: "local", canonical: folder.fsPath, path: folder.fsPath }) };
};

const askBranch: Step<Draft> = async (draft, place) => {
  const page = draft.reference?.type === "git" ? draft.reference.branch : undefined;
  const answered = await askText({
    ...place,
    prompt: vscode.l10n.t("The branch, tag or full commit to read."),
    value: draft.branch ?? page ?? "main",
    validate: (text) => faultOf(Branch, text),
  });
  return map(answered, (branch) => ({ ...draft, branch }));
};

const askSearchPaths: Step<Draft> = async (draft, place) => {
  const page = draft.reference?.type === "git" ? draft.reference.searchPath : undefined;
  const answered = await askText({
    ...place,
    prompt: vscode.l10n.t("Read only below these folders, separated by commas. Leave it empty to read all."),
    placeholder: "src, docs",
    value: joinPaths(draft.searchPaths ?? (page === undefined ? [] : [page])),
    validate: (text) => pathsFault(SearchPath, text),
  });
  return map(answered, (text) => ({ ...draft, searchPaths: splitPaths(text) }));
};

const askVersion: Step<Draft> = async (draft, place) => {
  const { reference } = draft;
  const asked = reference !== undefined && isPackage(reference) ? reference.version : undefined;
  const answered = await askText({
    ...place,
    prompt: vscode.l10n.t(
      "The version. Leave it empty for the one that your workspace has installed, else the latest.",
    ),
    value: draft.version ?? asked,
    validate: (text) => (text === "" ? undefined : faultOf(PackageVersion, text)),
  });
  return map(answered, (text) => ({
    ...draft,
    reference: withoutVersion(draft.reference),
    version: text === "" ? undefined : text,
  }));
};

/** What a kind asks for in another way than as text, and beside the reference and the name. */
const ownSteps: { readonly [Kind in KindName]?: { askReference?: Step<Draft>; more?: readonly Step<Draft>[] } } = {
  git: { more: [askBranch, askSearchPaths] },
  local: { askReference: askFolder },
  ...Object.fromEntries(packageTypes.map((type) => [type, { more: [askVersion] }])),
};

function nameStep(taken: readonly string[]): Step<Draft> {
  return async (draft, place) => {
    const answered = await askText({
      ...place,
      prompt: vscode.l10n.t("The name by which questions refer to it, as in @name."),
      value: draft.name ?? (draft.reference === undefined ? "" : freeName(draft.reference, taken)),
      validate: (text) => nameFault(ResourceName, text, { taken, l10n: vscode.l10n }),
    });
    return map(answered, (name) => ({ ...draft, name }));
  };
}

/** Drops the answers that were given for another reference. */
function named(draft: Draft, found: ReturnType<typeof parseTyped> | undefined): Draft {
  if (found === undefined || found.type === "name" || found.type === "invalid") return draft;
  if (found.canonical === draft.reference?.canonical) return draft;
  const { kind, isNamed = false } = draft;
  return { kind, isNamed, reference: found };
}

/** The version is what was answered last, also where that was none. */
function withoutVersion(reference: OneOff | undefined): OneOff | undefined {
  if (reference === undefined || !isPackage(reference)) return reference;
  const { version: _, ...rest } = reference;
  return rest;
}

function map(answered: Answered<string>, toDraft: (text: string) => Draft): Answered<Draft> {
  return answered.type === "next" ? { type: "next", draft: toDraft(answered.draft) } : answered;
}
