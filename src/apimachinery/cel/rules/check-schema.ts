import { type FieldError, forbidden, invalid, invalidStruct, ruled } from "../../errors/index.ts";
import type { JSONSchema } from "../../schema/json-schema.ts";
import {
  checkDefaults,
  checkStructural,
  unsupportedKeyword,
} from "../../schema/structural/check-structural.ts";
import { type RuleContext, checkOpenAPI, checkRoot } from "../../schema/structural/check-open-api.ts";
import { compileRules, once } from "./compile-rules.ts";
import { type CompiledRule, compileNodeRules, staticRuleLimit, staticSchemaLimit } from "./compile-rule.ts";
import { goRule } from "../../schema/structural/go-schema.ts";
import { unbounded } from "../cost/estimate.ts";
import { type DeclType, declTypeOf, escapeName, maxRequestSize } from "../schema/decl-type.ts";

/** Options of `checkSchema`. */
export interface CheckSchemaOptions {
  /** The path of the schema in its CRD. Default: `spec.versions[0].schema.openAPIV3Schema`. */
  readonly path?: string;
  /** The version has a status subresource. */
  readonly hasStatus?: boolean;
  /** The CRD preserves unknown fields: then a stored schema that isn't structural may stay so. */
  readonly preserves?: boolean;
}

/** Returns all errors for which an API server would reject the schema of a CRD version. */
export function checkSchema(schema: JSONSchema, options: CheckSchemaOptions = {}): FieldError[] {
  const { path = "spec.versions[0].schema.openAPIV3Schema", hasStatus = false, preserves = false } = options;
  const errors = checkRoot(schema, path, hasStatus);
  const unsupported = unsupportedKeyword(schema);
  const structural = unsupported === undefined ? checkStructure(schema, path) : [];
  errors.push(...(preserves ? ruled("structure", structural) : structural));
  const total = new TotalCost();
  const hasRules = unsupported === undefined && errors.length === 0;
  const rules = hasRules ? SchemaRules.root(schema, total) : undefined;
  const root = { isRoot: true, insideMeta: false, noDefaults: undefined, uncorrelatable: undefined, rules };
  const { schemaErrors, ruleErrors } = checkOpenAPI(schema, path, root);
  errors.push(...schemaErrors, ...ruleErrors);
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(path, "", unsupported));
  return [...errors, ...checkTotal(total, path)];
}

function checkStructure(schema: JSONSchema, path: string): FieldError[] {
  const errors = checkStructural(schema, path);
  if (errors.length > 0) return errors;
  return checkDefaults(schema, path, (node, value, at) => {
    const rules = compileRules(node, node["x-kubernetes-embedded-resource"] === true);
    if (!rules) return [];
    // A default is valid if it passes both as an unchanged value and as a new one.
    const unchanged = rules.validate(value, { path: at, old: value });
    return unchanged.length > 0 ? unchanged : rules.validate(value, { path: at });
  });
}

function checkTotal(total: TotalCost, path: string): FieldError[] {
  if (total.cost <= staticSchemaLimit) return [];
  const contributed =
    "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...total.mostExpensive.map((rule) => forbidden(rule.path, contributed)),
    forbidden(path, budgetMessage(name, total.cost, staticSchemaLimit)),
  ];
}

/** The estimated cost of all rules of a schema, and the up to four most expensive, each at least 1 % of the limit. */
class TotalCost {
  cost = 0;
  mostExpensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.cost = Math.min(this.cost + cost, unbounded);
    if (cost < staticSchemaLimit / 100) return;
    this.mostExpensive = [...this.mostExpensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }
}

/** Compiles the rules of the nodes during the walk over a schema, and estimates their cost. */
class SchemaRules implements RuleContext {
  readonly #schema: JSONSchema;
  readonly #decl: () => DeclType | undefined;
  /** How often the node can occur in an object; undefined without a bound. */
  readonly #cardinality: number | undefined;
  readonly #total: TotalCost;

  private constructor(
    schema: JSONSchema,
    decl: () => DeclType | undefined,
    cardinality: number | undefined,
    total: TotalCost,
  ) {
    this.#schema = schema;
    this.#decl = once(decl);
    this.#cardinality = cardinality;
    this.#total = total;
  }

  static root(schema: JSONSchema, total: TotalCost): SchemaRules {
    return new SchemaRules(schema, () => declTypeOf(schema, true), 1, total);
  }

  property(schema: JSONSchema, name: string): SchemaRules {
    return this.#child(schema, () => {
      const escaped = escapeName(name);
      const field = escaped === undefined ? undefined : this.#decl()?.fields?.get(escaped);
      return field ?? declTypeOf(schema, schema["x-kubernetes-embedded-resource"] === true);
    });
  }

  values(schema: JSONSchema): SchemaRules {
    return this.#child(schema, () => this.#decl()?.element);
  }

  items(schema: JSONSchema): SchemaRules {
    return this.values(schema);
  }

  check(path: string, uncorrelatable: string | undefined): FieldError[] {
    const decl = this.#decl();
    const at = `${path}.x-kubernetes-validations`;
    if (!decl) {
      const detail =
        "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
      return [{ ...invalid(at, "", detail), reason: "InternalError", body: `Internal error: ${detail}` }];
    }
    return compileNodeRules(this.#schema, decl).flatMap((rule, index) =>
      this.#checkRule(rule, `${at}[${index}]`, decl, uncorrelatable),
    );
  }

  #checkRule(
    compiled: CompiledRule,
    path: string,
    decl: DeclType,
    uncorrelatable: string | undefined,
  ): FieldError[] {
    const { rule } = compiled;
    const errors: FieldError[] = [];
    const times = this.#cardinality ?? Math.trunc(maxRequestSize / (decl.minSize + 1));
    const cost = Math.min(compiled.maxCost * times, unbounded);
    if (cost > staticRuleLimit) {
      errors.push(forbidden(`${path}.rule`, budgetMessage("estimated rule cost", cost, staticRuleLimit)));
    }
    this.#total.add(`${path}.rule`, cost);
    if (compiled.error !== undefined)
      errors.push(invalidStruct(`${path}.rule`, goRule(rule), compiled.error));
    errors.push(...this.#checkMessage(compiled, `${path}.messageExpression`));
    if (compiled.usesOldSelf && uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      errors.push(invalid(`${path}.rule`, rule.rule, detail));
    } else if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = "may not be set if oldSelf is not used in rule";
      errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
    return errors;
  }

  #checkMessage({ rule, message, messageError, messageMaxCost }: CompiledRule, path: string): FieldError[] {
    if (messageError !== undefined) return [invalidStruct(path, goRule(rule), messageError)];
    if (!message) return [];
    this.#total.add(path, messageMaxCost);
    if (messageMaxCost <= staticRuleLimit) return [];
    return [
      forbidden(path, budgetMessage("estimated messageExpression cost", messageMaxCost, staticRuleLimit)),
    ];
  }

  #child(schema: JSONSchema, decl: () => DeclType | undefined): SchemaRules {
    const factor = maxChildren(this.#schema);
    const isBounded = this.#cardinality !== undefined && factor !== undefined;
    const cardinality = isBounded ? Math.min(this.#cardinality * factor, unbounded) : undefined;
    return new SchemaRules(schema, decl, cardinality, this.#total);
  }
}

/** Returns the API server's message for an exceeded limit. */
function budgetMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  let times = `${factor.toFixed(1)}x`;
  if (factor > 100) times = "more than 100x";
  else if (factor < 1.5) times = `${factor.toFixed(6)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${times} (${advice})`;
}

/** How often the child of a node can occur; undefined without a bound. */
function maxChildren(schema: JSONSchema): number | undefined {
  if (schema.type === "array")
    return schema.maxItems === undefined ? undefined : Math.max(schema.maxItems, 0);
  if (schema.type !== "object" || schema.additionalProperties === undefined) return 1;
  return schema.maxProperties === undefined ? undefined : Math.max(schema.maxProperties, 0);
}
