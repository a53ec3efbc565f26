import { BaseSequencer, type TestSpecification } from "vitest/node";
import { projects } from "./projects.mjs";

/** Runs the projects in their order: the one with the longest files first, so that no core waits for a last one. */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => projects.findIndex((name) => name === project.name);
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
