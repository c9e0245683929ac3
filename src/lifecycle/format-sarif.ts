import { bookAddress } from "../shared/book-address.ts";
import { placeOfChange } from "./allowances.ts";
import { describeWitness, type ReportedChange } from "./report-changes.ts";
import { rules } from "./rules.ts";

/** What a SARIF log says besides the changes. */
export interface SarifContext {
  /** The project's folder in its repository, with a slash at the end; empty if that is the repository's root. */
  readonly folder: string;
  /** The file that is named for a kind whose types are gone: code hosts accept no result without a place. */
  readonly fallbackFile: string;
  /** The version of tsbuilder. */
  readonly version: string;
}

/**
 * Formats the changes that break somebody as SARIF 2.1.0, for code scanning. Paths are relative to the root of the repository,
 * to which code hosts relate them.
 */
export function formatSarif(changes: readonly ReportedChange[], context: SarifContext): string {
  const told = changes.filter(({ severity }) => severity !== "none");
  const ids = [...new Set(told.map(({ rule }) => rule))].sort();
  const driver = {
    name: "tsbuilder",
    version: context.version,
    informationUri: bookAddress,
    rules: ids.map((id) => ({
      id,
      shortDescription: { text: rules[id].summary },
      helpUri: `${bookAddress}reference/api-changes`,
    })),
  };
  const results = told.map((change) => resultOf(change, ids.indexOf(change.rule), context));
  const log = {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }],
  };
  return JSON.stringify(log, undefined, 2);
}

function resultOf(change: ReportedChange, ruleIndex: number, { folder, fallbackFile }: SarifContext): object {
  const { rule, severity, message, position, witness, allowed } = change;
  const { file, line, column } = position ?? { file: fallbackFile, line: 1, column: 1 };
  const text = [`${placeOfChange(change)}: ${message}`, ...(witness ? describeWitness(witness) : [])];
  const physicalLocation = {
    artifactLocation: { uri: `${folder}${file}`.split("/").map(encodeURIComponent).join("/") },
    region: { startLine: line, startColumn: column },
  };
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text: text.join("\n") },
    locations: [{ physicalLocation }],
    // Lines move: a change remains the same one as long as its class and its place in the API do.
    partialFingerprints: { "change/v1": `${rule} ${placeOfChange(change)}` },
    ...(allowed !== undefined && { suppressions: [{ kind: "external", justification: allowed }] }),
  };
}
