import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface DatabaseSpec {
  /**
   * How many sessions there may be at once.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=1000
   * +kubebuilder:default=100
   */
  sessions?: int32;
}

export interface DatabaseStatus {
  observedGeneration?: int64;
  conditions?: Condition[];
}

/**
 * Database is a database on a server outside of the cluster.
 * +kubebuilder:subresource:status
 */
export interface Database extends CustomResource<DatabaseSpec, DatabaseStatus> {}
export const Database = defineKind<Database>(
  { group: "db.example.com", version: "v1" },
  { kind: "Database", plural: "databases" },
);

export interface UserSpec {
  /**
   * The Database of the same namespace that the user works with. Without it, there is no login.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  database: string;
  /**
   * +kubebuilder:validation:Enum=read;write
   * +kubebuilder:default=read
   */
  access?: string;
  /**
   * How the user is called on the server. Default: the name of the User.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=60
   */
  login?: string;
  /**
   * Other namespaces that get a copy of the Secret.
   * +kubebuilder:validation:MaxItems=10
   * +kubebuilder:validation:items:MinLength=1
   * +kubebuilder:validation:items:MaxLength=63
   * +kubebuilder:validation:items:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
   * +listType=set
   */
  copies?: string[];
}

export interface UserStatus {
  observedGeneration?: int64;
  /** The Secret with the password, in the user's namespace and in those of the copies. */
  secret?: string;
  conditions?: Condition[];
}

/**
 * User is a login of a Database, with its password in a Secret.
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 150",message="metadata.name must have at most 150 characters"
 */
export interface User extends CustomResource<UserSpec, UserStatus> {}
export const User = defineKind<User>(
  { group: "db.example.com", version: "v1" },
  { kind: "User", plural: "users" },
);
