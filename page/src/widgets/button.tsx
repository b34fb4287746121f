/** Buttons with texts of the language files. */

import type { ComponentProps } from "preact";
import { say } from "../core/language";
import { Icon, type IconName } from "./icons";

type Props = Omit<ComponentProps<"button">, "icon"> & {
  /** The key of the text. */
  text: string;
  icon?: IconName;
};

export const Button = ({ text, icon, class: look = "plain", ...rest }: Props) => (
  <button type="button" class={look} {...rest}>
    {icon && (
      <>
        <Icon name={icon} />{" "}
      </>
    )}
    {say(text)}
  </button>
);

/** A button with a sign instead of words. */
export const SignButton = ({ text, icon, class: look = "plain", children, ...rest }: Props) => (
  <button type="button" class={look} aria-label={say(text)} title={say(text)} {...rest}>
    {icon && <Icon name={icon} />}
    {children}
  </button>
);
