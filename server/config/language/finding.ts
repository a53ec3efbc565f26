import type { ConfigFinding, ConfigFix, FindingCode } from "../../protocol/config-language.ts";
import type { Fault } from "../parse.ts";
import { spanOf } from "./nodes.ts";

/** A finding at the place of a fault. */
export function finding(
  severity: ConfigFinding["severity"],
  code: FindingCode,
  { message, ...at }: Fault,
  { fixes = [], isUnnecessary = false }: { fixes?: readonly ConfigFix[]; isUnnecessary?: boolean } = {},
): ConfigFinding {
  return { ...spanOf(at), severity, code, message, isUnnecessary, fixes };
}
