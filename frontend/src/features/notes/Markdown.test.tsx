import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Markdown } from "./Markdown";

const html = (text: string): string => render(<Markdown text={text} />).container.innerHTML;

describe("notes in Markdown", () => {
  it("shows headings below the section's, lists, code and tables", () => {
    render(
      <Markdown text={"# Controller\n\n- *one*\n\n`fio`\n\n| a | b |\n|---|---|\n| 1 | 2 |"} />,
    );
    expect(screen.getByRole("heading", { level: 3 }).textContent).toBe("Controller");
    expect(screen.getByRole("listitem").innerHTML).toBe("<em>one</em>");
    expect(screen.getByRole("table").textContent).toBe("ab12");
    expect(screen.getByText("fio").tagName).toBe("CODE");
  });

  it("shows HTML as text", () => {
    const text = "<script>alert(1)</script> and <img src=x onerror=alert(1)>";
    const { container } = render(<Markdown text={text} />);
    expect(container.querySelector("script, img, [onerror]")).toBeNull();
    expect(container.textContent).toContain("<script>alert(1)</script>");
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
  ])("links nowhere for %s", (url) => {
    for (const text of [`[x](<${url}>)`, `<${url}>`, `[x][1]\n\n[1]: <${url}>`]) {
      const { container } = render(<Markdown text={text} />);
      for (const link of container.querySelectorAll("a")) {
        expect(link.getAttribute("href") ?? "").toBe("");
      }
    }
  });

  it("opens links elsewhere without a referrer", () => {
    expect(html("[CHG-1](https://example.com/1)")).toContain(
      '<a href="https://example.com/1" target="_blank" rel="noopener noreferrer nofollow">',
    );
  });

  it("loads no images", () => {
    expect(html("![a diagram](https://example.com/x.png)")).not.toContain("<img");
    expect(screen.getByText("a diagram")).toBeTruthy();
  });
});
