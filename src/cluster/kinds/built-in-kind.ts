import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { ControllerFactory } from "../control-loop/controller.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { CellReader, MetadataChecks, Strategy, TableColumns } from "../registry/resource.ts";
import type { Store } from "../storage/store.ts";

/**
 * The declaration of a built-in kind: the facts and rules that the generated tables of apimachinery don't hold. The type
 * parameter is the union of the names of its controllers.
 */
export interface BuiltInKind<Controllers extends string = never> {
  /** The resource with its group, as in messages: `pods`, `deployments.apps`. */
  readonly resource: string;
  /**
   * The rules for metadata that differ from the default: those for new objects on create, those for changes on update and
   * on updates of the status. `qualifiedFinalizers: false` admits finalizers that are neither standard nor qualified.
   */
  readonly metadataChecks?: Partial<MetadataChecks>;
  /** The members of the default strategy that the kind overrides. */
  readonly strategy?: Partial<Strategy> | ((store: Store) => Partial<Strategy>);
  /** The cells of the kind's table by column; `Name` and `Age` are the same for all kinds. */
  readonly cells?: Readonly<Record<string, CellReader>>;
  /** Further cells: for some kinds the real server writes more cells than its table has columns. */
  readonly cellsWithoutColumn?: readonly CellReader[];
  readonly rowConditions?: TableColumns["rowConditions"];
  /** Field selectors whose name is not the path of the field, or that have a value where the field is absent. */
  readonly selectors?: Readonly<Record<string, (object: ApiObject) => string>>;
  /** The path of the pod template in objects of the kind. */
  readonly podTemplate?: string;
  /** Fields of bookmarks besides those of a zero object: Go makes it from the server's internal type, and defaults it. */
  readonly zeroValues?: JSONObject;
  /** Converts an object to another version; absent if versions differ only in kind and apiVersion. */
  readonly convert?: (object: ApiObject, apiVersion: string) => ApiObject;
  /** The controllers of the kind's objects, by the names that `--controllers` accepts. */
  readonly controllers?: Readonly<Record<Controllers, ControllerFactory>>;
}
