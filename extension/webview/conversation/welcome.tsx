import { useChat } from "../chat-context.ts";
import { Icon, type IconName } from "../icons.tsx";
import type { Welcome } from "../messages.ts";
import { type Command, CommandButtons } from "../parts.tsx";
import type { ChatView } from "../store.ts";
import { say, type StringKey } from "../strings.ts";
import { sentence } from "../../sentence.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";

/** The steps before the first question, from the user's current state on. */
export function WelcomePage({ view, onExample }: { view: ChatView; onExample: (text: string) => void }) {
  const { icon, title, text, commands, hasExamples } = pages[view.welcome];
  return (
    <section class="welcome">
      <div class={`welcome-icon ${view.welcome}`}>
        <Icon name={icon} />
      </div>
      <h2>{say(title)}</h2>
      <p>{say(text)}</p>
      {view.problem !== undefined && view.welcome !== "ready" && (
        <p class="problem" dir="auto">
          {showInvisible(sentence(view.problem.error))}
          {view.problem.hint !== undefined && ` ${showInvisible(sentence(view.problem.hint))}`}
        </p>
      )}
      {commands.length > 0 && <CommandButtons commands={commands} />}
      {hasExamples && <Examples resources={view.resources.map(({ name }) => name)} onExample={onExample} />}
    </section>
  );
}

/** The same in short, above the box, where there is a conversation to read that does not end with it. */
export function WelcomeNotice({ view }: { view: ChatView }) {
  const { icon, title, commands, isUrgent } = pages[view.welcome];
  const last = view.turns.at(-1);
  if (!isUrgent || last === undefined || last.error?.tag === "ServerFailed") return null;
  return (
    <div class="strip">
      <p>
        <Icon name={icon} />
        <span>{say(title)}</span>
      </p>
      <CommandButtons commands={commands} />
    </div>
  );
}

function Examples({ resources, onExample }: { resources: readonly string[]; onExample: (text: string) => void }) {
  const { announce } = useChat();
  const [resource] = resources;
  const questions = [
    say("exampleStructure"),
    ...(resource === undefined ? [] : [say("exampleResource", resource)]),
    say("exampleStart"),
    say("exampleDependencies"),
  ];
  function choose(question: string): void {
    onExample(question);
    announce(question);
  }
  return (
    <div class="examples">
      <h3>{say("readyExamples")}</h3>
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" class="example" dir="auto" onClick={() => choose(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Page {
  icon: IconName;
  title: StringKey;
  text: StringKey;
  commands: readonly Command[];
  /** Whether questions can be asked as things stand. */
  hasExamples: boolean;
  isUrgent: boolean;
}

const pages: Record<Welcome, Page> = {
  ready: {
    icon: "citewell",
    title: "readyTitle",
    text: "readyText",
    commands: [],
    hasExamples: true,
    isUrgent: false,
  },
  "no-resources": {
    icon: "library",
    title: "noResourcesTitle",
    text: "noResourcesText",
    commands: ["addResource", "addDependencies"],
    hasExamples: false,
    isUrgent: false,
  },
  "no-key": {
    icon: "model",
    title: "noKeyTitle",
    text: "noKeyText",
    commands: ["connectProvider", "chooseModel"],
    hasExamples: true,
    isUrgent: false,
  },
  offline: {
    icon: "offline",
    title: "offlineTitle",
    text: "offlineText",
    commands: ["addResource", "chooseModel", "showServerLog"],
    hasExamples: false,
    isUrgent: true,
  },
  untrusted: {
    icon: "shield",
    title: "untrustedTitle",
    text: "untrustedText",
    commands: ["manageTrust", "addResource"],
    hasExamples: false,
    isUrgent: false,
  },
  virtual: {
    icon: "library",
    title: "virtualTitle",
    text: "virtualText",
    commands: ["addResource"],
    hasExamples: false,
    isUrgent: false,
  },
  "config-invalid": {
    icon: "alert",
    title: "configInvalidTitle",
    text: "configInvalidText",
    commands: ["openConfig", "showServerLog"],
    hasExamples: false,
    isUrgent: true,
  },
  "server-failed": {
    icon: "alert",
    title: "serverFailedTitle",
    text: "serverFailedText",
    commands: ["restartServer", "showServerLog"],
    hasExamples: false,
    isUrgent: true,
  },
};
