// The four kinds of git objects.

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** An object as stored, without its header. */
export interface StoredObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array;
}
