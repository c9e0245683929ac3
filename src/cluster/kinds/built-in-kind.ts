import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { ControllerFactory } from "../control-loop/controller.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Strategy } from "../registry/resource.ts";
import type { CellReader, TableColumns } from "../registry/table-columns.ts";
import type { Store } from "../storage/store.ts";

/**
 * All that is known of a built-in kind besides what the tables of apimachinery say; its parameter holds the names of its
 * controllers.
 */
export interface BuiltInKind<Controllers extends string = never> {
  /** The resource as messages name it: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** How writes differ from the usual. */
  readonly strategy?: Partial<Strategy> | ((store: Store) => Partial<Strategy>);
  /** What stands in the columns of its table; `Name` and `Age` are common to all. */
  readonly cells?: Readonly<Record<string, CellReader>>;
  readonly rowConditions?: TableColumns["rowConditions"];
  /** Field selectors whose name is not the path, or that say something of an absent field. */
  readonly selectors?: Readonly<Record<string, (object: ApiObject) => string>>;
  /**
   * What Go prints of an empty object: structs that are no pointers. Nobody owns them in managedFields, and bookmarks
   * carry them.
   */
  readonly emptyObject?: JSONObject;
  /** Brings an object into another version; the kind and apiVersion of most are all that differs. */
  readonly convert?: (object: ApiObject, apiVersion: string) => ApiObject;
  /** What a warning says about using the kind. */
  readonly deprecation?: string;
  /** What acts on its objects, under the names that `--controllers` takes. */
  readonly controllers?: Readonly<Record<Controllers, ControllerFactory>>;
}
