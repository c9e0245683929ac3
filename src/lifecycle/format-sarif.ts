import { bookAddress } from "../shared/book-address.ts";
import { placeOfChange } from "./allowances.ts";
import { describeWitness, type ReportedChange } from "./report-changes.ts";
import { rules } from "./rules.ts";

/** The data of a SARIF log besides the changes. */
export interface SarifContext {
  /** The project's folder in its repository, with a slash at the end; empty if that is the repository's root. */
  readonly folder: string;
  /** The file for changes without a position, such as a removed kind: code hosts require a place for each result. */
  readonly fallbackFile: string;
  /** The version of tsbuilder. */
  readonly version: string;
}

/**
 * Formats the changes that break somebody as SARIF 2.1.0, for code scanning. Code hosts expect paths that are relative to the
 * root of the repository.
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
    // Line numbers change between commits; the class of a change and its place in the API identify it.
    partialFingerprints: { "change/v1": `${rule} ${placeOfChange(change)}` },
    ...(allowed !== undefined && { suppressions: [{ kind: "external", justification: allowed }] }),
  };
}
