import { type Command, Help, type Option } from "commander";
import { homepage } from "../../package.json";
import { examples } from "./examples.ts";

/** The help of a command: purpose, usage, examples, then arguments, options and where to read on. */
export function formatHelp(command: Command, helper: Help): string {
  const [usage = "", purpose = "", ...lists] = Help.prototype.formatHelp.call(helper, command, helper).split("\n\n");
  const shown = examples[fullName(command)]?.map((example) => `\n  ${example}`).join("") ?? "";
  const parts = [purpose, usage, ...(shown === "" ? [] : [`Examples:${shown}`]), ...lists];
  return `${parts.join("\n\n").trimEnd()}\n\nMore: ${homepage}\n`;
}

/** Leaves out the default of an option that may be repeated: none. */
export function describeOption(option: Option): string {
  const isEmptyList = Array.isArray(option.defaultValue) && option.defaultValue.length === 0;
  if (!isEmptyList) return Help.prototype.optionDescription.call(new Help(), option);
  const choices = option.argChoices === undefined ? "" : ` (choices: ${option.argChoices.join(", ")})`;
  const variable = option.envVar === undefined ? "" : ` (env: ${option.envVar})`;
  return `${option.description}${choices}${variable}`;
}

/** `citewell mcp local`. */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
