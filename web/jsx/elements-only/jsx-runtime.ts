/**
 * React's types of JSX, but for one: a component gives elements and no text, because nobody knows what stands beside
 * it. Only elements-only.test.ts compiles the page with them: the router's types say less than its components keep.
 */
import type { Component, ExoticComponent, JSX as React, ReactElement } from "react";

type Given = ReactElement | readonly (ReactElement | null)[] | null | undefined | boolean;

/** Props are not the matter here. */
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

export declare namespace JSX {
  type ElementType =
    | keyof IntrinsicElements
    | (abstract new (props: Any) => Component<Any>)
    | ExoticComponent<Any>
    | ((props: Any) => Given);
  type Element = React.Element;
  type ElementClass = React.ElementClass;
  type ElementAttributesProperty = React.ElementAttributesProperty;
  type ElementChildrenAttribute = React.ElementChildrenAttribute;
  type LibraryManagedAttributes<C, P> = React.LibraryManagedAttributes<C, P>;
  type IntrinsicAttributes = React.IntrinsicAttributes;
  type IntrinsicClassAttributes<T> = React.IntrinsicClassAttributes<T>;
  type IntrinsicElements = React.IntrinsicElements;
}
