import { runningTurn, type Turn } from "../../../../client/conversation.ts";
import { createEventBuffer } from "../../../../client/event-buffer.ts";
import { createSession } from "../../../../client/session.ts";
import type { AskEvent, AskRequest } from "../../../protocol/ask.ts";
import type { FetchState } from "../../../protocol/hosted.ts";
import { publishedTools } from "../../../protocol/published-tools.ts";
import type { Thread } from "../../../protocol/threads.ts";
import { askInTime } from "../../../transports/mcp/ask-tool.ts";
import { findOutdated, requireKnown, requireSome, selectResources } from "../../projects/registered.ts";
import { toPublicError } from "../../public-error.ts";
import type { PageCall } from "../pages.ts";

/** A question of the page. */
export interface AskedQuestion {
  question: string;
  /** The names that are ticked; none is all. The question's @mentions replace them. */
  resources: readonly string[];
  /** The conversation that it continues. */
  thread: Thread | undefined;
  /** When the turn of the conversation was asked that it replaces, with those after it. */
  again?: string | undefined;
}

/** A resource that is answered from its last snapshot, because its fetch fails. */
export interface OutdatedResource {
  name: string;
  fetch: FetchState;
}

/** A question whose answer has ended. */
export interface EndedQuestion {
  /** With `cited` if it is stored. */
  turn: Turn;
  /** The id of the conversation; undefined if it could not be stored. */
  thread: string | undefined;
  /** Why the answer is not whole, in words. */
  partial: string | undefined;
}

/** What a question works with. */
export interface QuestionCall extends PageCall {
  /** Called with the turn and the id of its conversation as the answer grows. */
  onChange?(turn: Turn, thread: string | undefined): void;
  /** Called before the answer begins, if there are such resources. */
  onOutdated?(resources: readonly OutdatedResource[]): void;
}

/** How often the growing answer is reported, at most. */
const frameMs = 50;

/** Asks a question about resources of the project, in a conversation. Failures are in the turn. */
export async function runQuestion(
  { question, resources, thread, again }: AskedQuestion,
  call: QuestionCall,
): Promise<EndedQuestion> {
  const { fetches, groups, deadlineMs, log, onChange = () => {} } = call;
  let last: Awaited<ReturnType<typeof askInTime>> | undefined;
  const session = createSession({
    mentionable: async () => {
      const [states, named] = await Promise.all([fetches.states(), groups()]);
      return { names: [...states.keys(), ...named.map(({ name }) => name)], exists: () => false };
    },
    async ask(request, { onEvent }) {
      const buffer = createEventBuffer((event) => void onEvent(event), { schedule: everyFrame });
      try {
        last = await askProject(request, { ...call, onEvent: buffer.push });
      } catch (error) {
        throw toPublicError(error);
      } finally {
        buffer.flush();
      }
    },
    onChange({ type }) {
      const { conversation } = session;
      const running = runningTurn(conversation);
      if (type === "event" && running !== undefined) onChange(running, conversation.thread?.id);
    },
  });
  if (thread !== undefined) session.restore(thread);
  // Nothing is ticked: all resources, also where the question before was about some.
  session.choose(resources);
  const replaced = session.conversation.turns.find(({ askedAt }) => askedAt === again);
  const { turn, failure } = await (replaced === undefined
    ? session.ask(question)
    : session.askAgain(replaced, replaced.question));
  if (turn.error?.tag === "Internal")
    log.error("question-failed", { error: failure instanceof Error ? failure.cause : failure });
  const stored = session.conversation.thread?.id;
  return {
    turn: { ...turn, answer: last?.answer ?? turn.answer, ...(await readStored(turn, stored, call)) },
    thread: stored,
    partial: last?.partial === undefined ? undefined : describePartial(deadlineMs),
  };
}

/** What only the stored turn has: the time that names it, and what was cited. Nothing if it is not stored. */
async function readStored(
  { askedAt }: Turn,
  thread: string | undefined,
  { app, signal }: QuestionCall,
): Promise<Partial<Pick<Turn, "askedAt" | "cited">>> {
  if (thread === undefined || signal.aborted) return {};
  try {
    const last = (await app.getThread({ id: thread }, { signal })).turns.at(-1);
    const isSame = last !== undefined && Date.parse(last.askedAt) >= Date.parse(askedAt);
    return isSame ? { askedAt: last.askedAt, cited: last.cited } : {};
  } catch {
    // The answer is complete; it only lacks what a stored one offers.
    return {};
  }
}

/** @throws ResourceNotFound, and what `askInTime` throws */
async function askProject(request: AskRequest, call: QuestionCall & { onEvent(event: AskEvent): void }) {
  const { signal, deadlineMs, onEvent, onOutdated = () => {} } = call;
  const { question, resources: named = [] } = request;
  const { names: resources, about, parts, states } = await selectResources(named, call);
  const { app } = parts;
  const asked = await requireKnown(about, parts, states);
  requireSome(asked);
  const outdated = await findOutdated(asked, { app, signal });
  if (outdated.length > 0) onOutdated(outdated);
  return askInTime(
    { ...request, resources: [...resources] },
    {
      app,
      signal,
      deadlineMs,
      onEvent,
      findPassages: async () => {
        const query = question.slice(0, queryLength);
        return publishedTools.search.toText(
          await app.search({ query, resources: [...resources], limit: 6, mode: "ranked" }, { signal }),
        );
      },
    },
  );
}

function describePartial(deadlineMs: number): string {
  return `This answer is partial: it was ended after ${Math.round(deadlineMs / 1000)} s. Ask on to get the rest.`;
}

/** The number of UTF-16 units of a long question that are searched for. */
const queryLength = 2000;

function everyFrame(action: () => void): () => void {
  const timer = setTimeout(action, frameMs);
  return () => clearTimeout(timer);
}
