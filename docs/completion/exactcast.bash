# bash completion for exactcast
_exactcast() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} names=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    names="cast compare derive explain formats inspect profiles rescale vectors --help --version"
  else
    case $before in
      --to|--from|--format|--via|--tensor|--scalar|--out) names="bool int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float8_e5m2 float8_e4m3fn float8_e4m3fnuz float8_e5m2fnuz float8_e4m3b11fnuz float8_e4m3 float8_e3m4 float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn float4_e1m2 hifloat8 tfloat32 complex32 complex64 complex128 int48 uint48 int1 uint1" ;;
      --profile) names="exact ascend950 atlas-a3 atlas-a2 atlas-200i-500-a2 atlas-inference atlas-training kirin-x90 kirin-9030 tosa-0.20 tosa-0.21 tosa-0.22 tosa-0.23 tosa-0.30 tosa-0.40 tosa-0.50 tosa-0.60 tosa-0.70 tosa-0.80 tosa-0.90 tosa-1.0.0-rc0 tosa-1.0 tosa-1.1-draft" ;;
      --round|--rounding) names="rint floor ceil round trunc odd hybrid none" ;;
      --overflow) names="saturate ieee wrap" ;;
      --nan) names="keep zero" ;;
      --float-rounding) names="nearest zero" ;;
      --nan-to-int) names="zero min max refuse" ;;
      --python) names="bool int float complex" ;;
      --convention) names="mlir tflite executorch cts vela tflite16" ;;
      *)
        [[ $word == -* ]] && case ${COMP_WORDS[1]} in
          cast) names="--help --to --derive-with --from --profile --round --rounding --overflow --nan --float-rounding --flush-subnormals --nan-to-int --shape --threads --deqscale --offset --unpacked --packed --strict --no-counts --explain-plan --force --report --json --quiet --no-sync --include --exclude --map --only-floating --no-only-floating --ignore-scales --skip-unindexed --resume --plan" ;;
          compare) names="--help --format --from --permitted --profile --rescale --source --shape --ulp --atol --rtol --nan-payload --unpacked --packed --json" ;;
          derive) names="--help --tensor --scalar --python --profile --default-dtype --x64 --out --table --all --json" ;;
          explain) names="--help --to --from --round --rounding --profile --overflow --nan --float-rounding --flush-subnormals --nan-to-int --via --deqscale --offset --json" ;;
          formats) names="--help --codes --json" ;;
          inspect) names="--help --to --from --shape --profile --round --rounding --overflow --nan --sort --top --max-rel-error --write-map --include --exclude --only-floating --no-only-floating --ignore-scales --skip-unindexed --unpacked --threads --report --force --json --quiet" ;;
          profiles) names="--help --json" ;;
          rescale) names="--help --from --to --multiplier --shift --scale --convention --input-zp --output-zp --scale16 --round --rounding --per-channel --profile --attributes --as-printed --shape --check --range --threads --strict --force --json" ;;
          vectors) names="--help --from --to --profile --round --rounding --overflow --nan --count --seed --force --json" ;;
        esac ;;
    esac
  fi
  if [[ -n $names ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _exactcast exactcast
