import { BaseSequencer, type TestSpecification } from "vitest/node";
import { projects } from "./projects.mjs";

/** They start the most VS Codes, some before their first test, and are short files: by size and time they would be last. */
const longest = /test\/extension\/(?:host|agent-host|ui\/open-project)\.test\.ts$/;

/**
 * Runs the projects in their order: the one with the longest files first, so that no core waits for a last one; and the
 * longest of the editor before its others.
 */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification) =>
      projects.findIndex((name) => name === project.name) - (longest.test(moduleId) ? 0.5 : 0);
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
