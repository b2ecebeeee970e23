export function Problem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p className="row-problem" role="alert">
      {text}
    </p>
  )
}
