import type { AdminName } from "../../server/protocol/hosted.ts";
import { limitFields, type LimitName } from "../../server/protocol/limit-fields.ts";

/** The operator's commands below `citewell hosted`, and the method that each calls. */
export const operatorCommands = {
  "key create": "createKey",
  "key list": "listKeys",
  "key rotate": "rotateKey",
  "key revoke": "revokeKey",
  "owner-link": "createOwnerLink",
  "password-link": "createPasswordLink",
  "project create": "createProject",
  "project list": "listProjects",
  "project limits": "setLimits",
  "token add": "addGitToken",
  "token replace": "replaceGitToken",
  "token list": "listGitTokens",
  "token remove": "removeGitToken",
  "follow add": "followAccount",
  "follow list": "listFollowed",
  "follow run": "runFollowed",
  "follow stop": "unfollowAccount",
  "webhook create": "createWebhook",
  "webhook remove": "removeWebhook",
  "secrets rotate": "rotateSecrets",
} as const satisfies Readonly<Record<string, AdminName>>;
/** `key create` of `citewell hosted key create`. */
export type OperatorCommand = keyof typeof operatorCommands;

/** What can be done with `subject`: the second words of its commands. */
export function actionsOf(subject: string): string[] {
  return Object.keys(operatorCommands).flatMap((command) =>
    command.startsWith(`${subject} `) ? [command.slice(subject.length + 1)] : [],
  );
}

/** Whether there is such a command. */
export function isOperatorCommand(command: string): command is OperatorCommand {
  return Object.hasOwn(operatorCommands, command);
}

/** The name under which an option sets a limit: `cost` of `--cost <usd>`. */
export function limitOption(name: LimitName): string {
  return /^--(\w+)/.exec(limitFields[name].flags)?.[1] ?? name;
}
